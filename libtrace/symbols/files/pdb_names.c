/*
 * Names in a PDB: of inlined functions by their ids, of source files.
 */
#include "symbols/files/files_in.h"
#include "symbols/files/symbol_file.h"

enum {
    STREAM_TYPES = 2,
    STREAM_IDS = 4,
    LF_CLASS = 0x1504,
    LF_STRUCTURE = 0x1505,
    LF_UNION = 0x1506,
    LF_ENUM = 0x1507,
    LF_INTERFACE = 0x1519,
    LF_FUNC_ID = 0x1601,
    LF_MFUNC_ID = 0x1602,
    LF_STRING_ID = 0x1605,
    MOST_NAME = 4096
};

void tk_pdb_names_open(struct tk_pdb_names *names, const struct tk_pdb *pdb, struct tk_sym_answers *answers)
{
    *names = (struct tk_pdb_names){.answers = answers};
    if (tk_pdb_types_open(&names->types, &pdb->msf, STREAM_TYPES) < 0 ||
        tk_pdb_types_open(&names->ids, &pdb->msf, STREAM_IDS) < 0)
        tk_sym_lose(answers, "the types of a PDB are damaged");
    if (pdb->names != UINT32_MAX && tk_msf_read(&pdb->msf, pdb->names, 0, UINT64_MAX, &names->texts) < 0)
        tk_sym_lose(answers, "the names of files of a PDB are damaged");
}

struct name {
    char v[MOST_NAME];
    size_t n;
};

static void put(struct name *to, struct tk_bytes text)
{
    size_t left = sizeof to->v - to->n, n = text.n < left ? text.n : left;
    if (n)
        memcpy(to->v + to->n, text.p, n);
    to->n += n;
}

static void put_colons(struct name *to)
{
    put(to, (struct tk_bytes){(const uint8_t *)"::", 2});
}

static uint16_t kind_of(const struct tk_msf_bytes *record)
{
    return record->span.n >= 2 ? tk_load16(record->span.p) : 0;
}

/* The size of a number in front of a name. */
static size_t number_size(struct tk_bytes record, size_t at)
{
    static const uint8_t more[] = {1, 2, 2, 4, 4, 4, 8, 10, 16, 8, 8};
    uint16_t k = at + 2 <= record.n ? tk_load16(record.p + at) : 0;
    return k < 0x8000 ? 2 : 2 + (size_t)(k - 0x8000u < sizeof more ? more[k - 0x8000u] : 0);
}

static struct tk_bytes type_text(struct tk_bytes record)
{
    switch (tk_load16(record.p)) {
    case LF_CLASS:
    case LF_STRUCTURE:
    case LF_INTERFACE:
        return tk_pdb_text(record, 18 + number_size(record, 18));
    case LF_UNION:
        return tk_pdb_text(record, 10 + number_size(record, 10));
    case LF_ENUM:
        return tk_pdb_text(record, 14);
    default:
        return (struct tk_bytes){NULL, 0};
    }
}

static void put_type(struct tk_pdb_names *names, uint32_t type, struct name *to)
{
    struct tk_msf_bytes record;
    if (tk_pdb_types_record(&names->types, type, &record) == 0 && record.span.n >= 2) {
        struct tk_bytes text = type_text(record.span);
        put(to, text);
        if (text.n)
            put_colons(to);
    }
    tk_msf_bytes_release(&record);
}

static void put_namespace(struct tk_pdb_names *names, uint32_t id, struct name *to)
{
    struct tk_msf_bytes record;
    if (id && tk_pdb_types_record(&names->ids, id, &record) == 0) {
        if (kind_of(&record) == LF_STRING_ID) {
            put(to, tk_pdb_text(record.span, 6));
            put_colons(to);
        }
        tk_msf_bytes_release(&record);
    }
}

static const struct tk_str *make_name(struct tk_pdb_names *names, uint32_t id)
{
    struct tk_msf_bytes record;
    struct name to = {.n = 0};
    if (tk_pdb_types_record(&names->ids, id, &record) < 0)
        return NULL;
    uint16_t kind = kind_of(&record);
    if (record.span.n >= 10 && (kind == LF_FUNC_ID || kind == LF_MFUNC_ID)) {
        (kind == LF_FUNC_ID ? put_namespace : put_type)(names, tk_load32(record.span.p + 2), &to);
        put(&to, tk_pdb_text(record.span, 10));
    }
    tk_msf_bytes_release(&record);
    return tk_sym_text(names->answers, to.v, to.n);
}

static const struct tk_str *keep(struct tk_pdb_names *names, struct tk_map *map, uint64_t key,
                                 const struct tk_str *text)
{
    if (tk_vec_push(&names->known, text) || tk_map_put(map, key, (uint32_t)names->known.n - 1))
        names->answers->failed = true;
    return text;
}

const struct tk_str *tk_pdb_function_name(struct tk_pdb_names *names, uint32_t id)
{
    uint32_t at = tk_map_get(&names->functions, id);
    if (at != TK_MAP_NONE)
        return names->known.v[at];
    return keep(names, &names->functions, id, make_name(names, id));
}

const struct tk_str *tk_pdb_file_name(struct tk_pdb_names *names, struct tk_bytes checksums, uint32_t place)
{
    if (place > checksums.n || checksums.n - place < 4)
        return NULL;
    uint64_t at = 12 + (uint64_t)tk_load32(checksums.p + place);
    if (at >= names->texts.span.n)
        return NULL;
    uint32_t known = tk_map_get(&names->files, at);
    if (known != TK_MAP_NONE)
        return names->known.v[known];
    struct tk_sym_path path = {.n = 0};
    tk_sym_path_add(&path, tk_pdb_text(names->texts.span, (size_t)at));
    return keep(names, &names->files, at, tk_sym_text(names->answers, path.text, path.n));
}

void tk_pdb_names_release(struct tk_pdb_names *names)
{
    tk_pdb_types_release(&names->types);
    tk_pdb_types_release(&names->ids);
    tk_msf_bytes_release(&names->texts);
    tk_map_release(&names->functions);
    tk_map_release(&names->files);
    tk_vec_release(&names->known);
}
