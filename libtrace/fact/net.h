/*
 * Facts about the network: connections, packets and what is in them. See fact/fact.h for what holds of all
 * facts.
 */
#ifndef TK_FACT_NET_H
#define TK_FACT_NET_H

#include "tracekit.h"

/*
 * Connections are numbered by their id, in the lower 16 bits, and above those by how often that id was in use
 * before: ids of closed connections are used again.
 */
#define TK_NET_CONNECTION_ID(connection) ((connection)&0xffffu)
#define TK_NET_CONNECTION_USE            0x10000u

/* What is known of a connection; later ones of the same instance and number replace earlier ones. */
struct tk_fact_net_link {
    uint32_t instance, connection;
    const struct tk_str *instance_name, *name, *address; /* NULL: not known */
    bool has_server, server;                             /* is the instance a server? */
    bool closed;
    uint8_t state; /* 0 invalid or not known, 1 closed, 2 pending, 3 open */
};

/* The name that packets, objects and values refer to by this number (from 1 on). May come after its use. */
struct tk_fact_net_name {
    uint32_t id;
    const struct tk_str *name;
};

/* A part of a packet: a run of bits that belongs to an object or a name; those of greater level that follow
 * lie inside. */
struct tk_net_part {
    uint64_t id;          /* of the object, or 0 */
    uint64_t begin, bits; /* in its bunch */
    uint32_t name;        /* number of the name, also of the object; 0: not known */
    bool is_object;
    uint8_t level;
};

/* A bundle of parts in a packet. */
struct tk_net_bunch {
    uint32_t name;              /* number of the name of its channel; 0: none */
    uint32_t channel;           /* UINT32_MAX: not known */
    uint32_t first, n;          /* its parts, among those of the packet */
    uint64_t bits, header_bits; /* bits without those of the header */
};

/* A packet was sent or came in. */
struct tk_fact_net_packet {
    uint32_t instance, connection, sequence;
    bool incoming;
    uint64_t bits;
    const struct tk_net_part *parts;    /* batch */
    const struct tk_net_bunch *bunches; /* batch */
    uint32_t n_parts, n_bunches;
};

/* Packets `first` to `last` of a direction never arrived. */
struct tk_fact_net_loss {
    uint32_t instance, connection, first, last;
    bool incoming;
    bool told; /* said by the capture; else their numbers are missing */
};

enum tk_net_object_op {
    TK_NET_CREATED,
    TK_NET_DESTROYED,
    TK_NET_PARENT,
    TK_NET_POLLED,
    TK_NET_WASTED, /* polled for nothing */
    TK_NET_QUANTIZED,
    TK_NET_WRITTEN,
    TK_NET_OBJECT_OPS
};

/* Something happened to an object. The time is that of the last packet or frame before it. */
struct tk_fact_net_object {
    uint32_t instance;
    uint32_t owner;    /* TK_NET_CREATED */
    uint64_t id, type; /* type: TK_NET_CREATED */
    uint64_t parent;   /* TK_NET_PARENT */
    uint64_t cycles;   /* from TK_NET_POLLED on: what it took */
    uint32_t name;     /* TK_NET_CREATED: number of its name, 0: none */
    uint8_t op;        /* enum tk_net_object_op */
};

/* A number that the network code counted, of a packet or of a frame. */
struct tk_fact_net_value {
    uint32_t instance, connection; /* UINT32_MAX: of a frame */
    uint32_t name;                 /* number of its name, 0: none */
    uint64_t value;
};

#endif
