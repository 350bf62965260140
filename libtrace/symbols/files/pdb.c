/*
 * A PDB as a whole: its identity, its modules and sections, and who answers which question.
 */
#include "symbols/files/files_in.h"
#include "symbols/files/symbol_file.h"

enum {
    STREAM_INFO = 1,
    STREAM_MODULES = 3,
    NO_STREAM = 0xffff,
    EXECUTED = 0x20000000, /* of the properties of a section */
    HEADER = 64,
    MODULE_HEAD = 64,
    MOST_SECTIONS = 65536
};

/* ---- identity ---- */

/* The stream of a name, by the table of names in the info stream. */
static uint32_t named_stream(struct tk_bytes info, const char *name)
{
    struct tk_cur cur = tk_cur_of(info.p, info.n);
    tk_take(&cur, 28, "info");
    uint32_t n_texts = tk_u32(&cur, "names");
    struct tk_bytes texts = {tk_take(&cur, n_texts, "names"), n_texts};
    uint32_t n = tk_u32(&cur, "names");
    tk_u32(&cur, "names");
    for (int i = 0; i < 2; i++) /* which slots are used, and which were */
        tk_take(&cur, (size_t)tk_u32(&cur, "names") * 4, "names");
    for (uint32_t i = 0; i < n && tk_cur_ok(&cur) && texts.p; i++) {
        uint32_t at = tk_u32(&cur, "names"), stream = tk_u32(&cur, "names");
        struct tk_bytes text = tk_pdb_text(texts, at);
        if (tk_cur_ok(&cur) && text.n == strlen(name) && memcmp(text.p, name, text.n) == 0)
            return stream;
    }
    return UINT32_MAX;
}

static int read_info(struct tk_pdb *pdb)
{
    struct tk_msf_bytes info;
    int rc = tk_msf_read(&pdb->msf, STREAM_INFO, 0, 1 << 20, &info);
    if (rc == 0 && info.span.n >= 28) {
        memcpy(pdb->guid, info.span.p + 12, TK_PDB_GUID);
        pdb->names = named_stream(info.span, "/names");
    } else {
        rc = -1;
    }
    tk_msf_bytes_release(&info);
    return rc;
}

/* ---- lists ---- */

static int read_modules(struct tk_pdb *pdb, struct tk_bytes list)
{
    for (size_t at = 0; at + MODULE_HEAD <= list.n;) {
        const uint8_t *p = list.p + at;
        struct tk_pdb_module module = {.stream = tk_load16(p + 34),
                                       .symbols = tk_load32(p + 36),
                                       .old_lines = tk_load32(p + 40),
                                       .lines = tk_load32(p + 44)};
        if (tk_vec_push(&pdb->modules, module))
            return -1;
        size_t name = tk_sym_text_length(p + MODULE_HEAD, list.n - at - MODULE_HEAD) + 1;
        if (name > list.n - at - MODULE_HEAD)
            break;
        size_t file = tk_sym_text_length(p + MODULE_HEAD + name, list.n - at - MODULE_HEAD - name) + 1;
        at += (MODULE_HEAD + name + file + 3) & ~(size_t)3;
    }
    return 0;
}

static int read_sections(struct tk_pdb *pdb, uint32_t stream)
{
    struct tk_msf_bytes bytes;
    int rc =
        stream == NO_STREAM ? 0 : tk_msf_read(&pdb->msf, stream, 0, (uint64_t)MOST_SECTIONS * 40, &bytes);
    if (stream == NO_STREAM || rc < 0)
        return rc;
    for (size_t at = 0; at + 40 <= bytes.span.n && rc == 0; at += 40) {
        struct tk_pdb_section section = {.size = tk_load32(bytes.span.p + at + 8),
                                         .address = tk_load32(bytes.span.p + at + 12),
                                         .code = tk_load32(bytes.span.p + at + 36) & EXECUTED};
        rc = tk_vec_push(&pdb->sections, section);
    }
    tk_msf_bytes_release(&bytes);
    return rc;
}

static int read_lists(struct tk_pdb *pdb, struct tk_bytes s)
{
    uint32_t sizes[7]; /* modules, contributions, section map, files, type servers, debug headers, edit and
                          continue */
    static const uint8_t at_of[] = {24, 28, 32, 36, 40, 48, 52};
    for (unsigned i = 0; i < 7; i++)
        sizes[i] = tk_load32(s.p + at_of[i]);
    pdb->age = tk_load32(s.p + 8);
    pdb->public_stream = tk_load16(s.p + 16);
    pdb->record_stream = tk_load16(s.p + 20);
    uint64_t contributions = HEADER + (uint64_t)sizes[0];
    uint64_t headers = contributions + sizes[1] + sizes[2] + sizes[3] + sizes[4] + sizes[6];
    struct tk_bytes streams = tk_sym_slice(s, headers, sizes[5]);
    pdb->contributions = tk_sym_slice(s, contributions, sizes[1]);
    struct tk_bytes modules = tk_sym_slice(s, HEADER, sizes[0]);
    if (read_modules(pdb, modules) < 0)
        return -1;
    return streams.n < 12 ? 0 : read_sections(pdb, tk_load16(streams.p + 10));
}

int tk_pdb_open(struct tk_pdb *pdb, struct tk_bytes bytes, const char **why)
{
    *pdb = (struct tk_pdb){.names = UINT32_MAX};
    if (tk_msf_open(&pdb->msf, bytes, why) < 0)
        return -1;
    *why = "a broken PDB";
    if (read_info(pdb) < 0 || tk_msf_read(&pdb->msf, STREAM_MODULES, 0, UINT64_MAX, &pdb->modules_stream) < 0)
        return -1;
    if (pdb->modules_stream.span.n < HEADER) {
        *why = "a PDB without modules, as of .NET";
        return -1;
    }
    if (read_lists(pdb, pdb->modules_stream.span) < 0)
        return -1;
    *why = NULL;
    return 0;
}

void tk_pdb_release(struct tk_pdb *pdb)
{
    tk_vec_release(&pdb->sections);
    tk_vec_release(&pdb->modules);
    tk_msf_bytes_release(&pdb->modules_stream);
    tk_msf_release(&pdb->msf);
}

/* ---- who answers ---- */

#define CONTRIBUTIONS_V2 (0xeffe0000u + 20140516u)

/* A question and the module that has its code. */
struct task {
    uint32_t module, question;
};

struct contribution {
    uint64_t from, end;
    uint32_t module;
};

static size_t contribution_size(const struct tk_pdb *pdb)
{
    return pdb->contributions.n >= 4 && tk_load32(pdb->contributions.p) == CONTRIBUTIONS_V2 ? 32 : 28;
}

static bool contribution_at(const struct tk_pdb *pdb, size_t i, struct contribution *c)
{
    const uint8_t *p = pdb->contributions.p + 4 + i * contribution_size(pdb);
    c->module = tk_load16(p + 16);
    if (!tk_pdb_address(pdb, tk_load16(p), tk_load32(p + 4), &c->from))
        return false;
    c->end = c->from + tk_load32(p + 8);
    return c->module < pdb->modules.n;
}

static int by_module(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->question > y->question) - (x->question < y->question);
}

typedef TK_VEC(struct task) task_list;

/* The questions in each part that a module contributes. */
static int find_tasks(const struct tk_pdb *pdb, const struct tk_sym_question *v, size_t n, task_list *tasks)
{
    size_t count = pdb->contributions.n < 4 ? 0 : (pdb->contributions.n - 4) / contribution_size(pdb);
    for (size_t i = 0; i < count; i++) {
        struct contribution c;
        if (!contribution_at(pdb, i, &c))
            continue;
        for (size_t q = tk_sym_from(v, n, c.from); q < n && v[q].address < c.end; q++) {
            struct task task = {c.module, (uint32_t)q};
            /* parts that lie over each other, as no linker makes them, ask nobody twice as much as there is
             */
            if (!v[q].n && (tasks->n > 2 * n + 64 || tk_vec_push(tasks, task)))
                return tasks->n > 2 * n + 64 ? 0 : -1;
        }
    }
    return 0;
}

static int run_tasks(const struct tk_pdb *pdb, struct tk_sym_question *v, const task_list *tasks,
                     struct tk_sym_answers *answers)
{
    struct tk_pdb_names names;
    struct tk_sym_question **group = malloc((tasks->n + 1) * sizeof *group);
    if (!group)
        return -1;
    tk_pdb_names_open(&names, pdb, answers);
    for (size_t at = 0, n; at < tasks->n; at += n) {
        for (n = 0; at + n < tasks->n && tasks->v[at + n].module == tasks->v[at].module; n++)
            group[n] = &v[tasks->v[at + n].question];
        tk_pdb_module_resolve(pdb, &pdb->modules.v[tasks->v[at].module], &names, group, n);
    }
    tk_pdb_names_release(&names);
    free(group);
    return 0;
}

void tk_pdb_resolve(const struct tk_pdb *pdb, struct tk_sym_question *questions, size_t n,
                    struct tk_sym_answers *answers)
{
    task_list tasks = {0};
    if (n > UINT32_MAX || find_tasks(pdb, questions, n, &tasks) < 0) {
        answers->failed = true;
    } else {
        if (tasks.n)
            qsort(tasks.v, tasks.n, sizeof *tasks.v, by_module);
        answers->failed |= run_tasks(pdb, questions, &tasks, answers) < 0;
        tk_pdb_publics_resolve(pdb, questions, n, answers);
    }
    tk_vec_release(&tasks);
}
