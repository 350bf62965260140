/*
 * Table `symbol_files`: for each module that addresses fall into, which file its functions come from, how
 * that was found, and how many addresses it knows; for those without, by what name it is to be requested.
 * (symbols 6.2)
 */
#include "base/cursor.h"
#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdio.h>
#include <string.h>

enum { NAME, STATE, ADDRESSES, RESOLVED, FILE_NAME, FOUND_BY, WANTED, NOTE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [NAME] = {"module", TK_TEXT, 0, NULL, "executable or library, without directories"},
    [STATE] = {"state", TK_TEXT, 0, NULL,
               "matched, matched by size, not verified, no symbols, unreadable, wrong build, no file, not "
               "looked for"},
    [ADDRESSES] = {"addresses", TK_UINT, 0, NULL,
                   "number of distinct addresses of callstacks and samples in it"},
    [RESOLVED] = {"resolved", TK_UINT, 0, NULL, "number of these that were resolved to a function"},
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "symbol file that is used, or one of another build"},
    [FOUND_BY] = {"found_by", TK_TEXT, 0, NULL, "how it was found"},
    [WANTED] = {"wanted", TK_TEXT, 0, NULL,
                "path in a symbol store, build id or UUID, as symchk, debuginfod-find and others expect it"},
    [NOTE] = {"note", TK_TEXT, TK_COL_EXTRA, NULL, "problem with the file"},
};

static const struct tk_table table = {
    .name = "symbol_files",
    .help = "symbol files by module: used, missing, or of another build",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "addresses",
};

/* A module with addresses, or an image whose functions the capture left to be found out. */
struct used {
    struct tk_fact_module module;
    uint64_t addresses, resolved;
    struct tk_module_file_info info;
    bool looked;
};

struct symbol_files {
    struct tk_collector g;
    struct tk_code_map code;
    struct tk_callstack_list stacks;
    TK_VEC(struct used) v;
};

static int want(struct symbol_files *s, const uint64_t *addresses, uint32_t n, bool sampled)
{
    for (uint32_t i = 0; i < n; i++)
        if (tk_code_map_want(&s->code, addresses[i], sampled && tk_code_is_exact(addresses, i)))
            return -1;
    return 0;
}

static int want_stacks(struct symbol_files *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->stacks.stacks.n && rc == 0; i++) {
        const struct tk_callstack *stack = &s->stacks.stacks.v[i];
        rc = want(s, tk_vec_at(&s->stacks.frames, stack->first), stack->n,
                  tk_callstack_is_sampled(&s->stacks, stack));
    }
    return rc;
}

static int start_symbol_files(void *self)
{
    struct symbol_files *s = self;
    struct tk_context *ctx = s->g.view->ctx;
    tk_callstack_list_init(&s->stacks, &ctx->health, ctx->limits.callstack_bytes, UINT32_MAX);
    return 0;
}

static int take_symbol_files(void *self, const struct tk_fact *fact)
{
    struct symbol_files *s = self;
    if (fact->kind == TK_FACT_SAMPLE && !fact->u.sample.callstack)
        return want(s, fact->u.sample.addresses, fact->u.sample.n, true);
    return tk_callstack_list_feed_sampled(&s->stacks, fact) || tk_code_map_feed(&s->code, fact) ? -1 : 0;
}

/* key: of the module or image, which stays where it is. */
static struct used *reach(struct symbol_files *s, const void *key_of, const struct tk_fact_module *module)
{
    const uint64_t key = (uint64_t)(uintptr_t)key_of;
    uint32_t at = tk_map_get(&s->g.index, key);
    if (at != TK_MAP_NONE)
        return &s->v.v[at];
    struct used made = {.module = *module};
    if (tk_vec_push(&s->v, made) || tk_map_put(&s->g.index, key, (uint32_t)s->v.n - 1))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

static int count_address(struct symbol_files *s, const struct tk_code_address *a)
{
    const struct tk_module *module = tk_module_at(&s->code.modules, a->address);
    const struct tk_symbol *reported = tk_symbol_at(&s->code.symbols, a->address);
    struct used *used;
    if (module)
        used = reach(s, module, &module->info);
    else if (reported && reported->open && reported->image)
        used = reach(s, reported->image, &(struct tk_fact_module){.name = reported->image, .loaded = true});
    else
        return 0;
    if (!used)
        return -1;
    const struct tk_symbol *symbol = tk_code_symbol(&s->code, a->address, a->exact);
    used->addresses++;
    used->resolved += symbol && !symbol->open && tk_symbol_place(&s->code.symbols, symbol, 0)->function;
    return 0;
}

static int count_addresses(struct symbol_files *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->code.wanted.n && rc == 0; i++)
        rc = count_address(s, &s->code.wanted.v[i]);
    return rc;
}

static int settle_symbol_files(void *self)
{
    struct symbol_files *s = self;
    const struct tk_context *ctx = s->g.view->ctx;
    int rc = want_stacks(s);
    if (rc == 0)
        rc = tk_code_map_settle(&s->code, ctx);
    if (rc == 0)
        rc = count_addresses(s);
    for (size_t i = 0; i < s->v.n && rc == 0 && ctx->symbolizer; i++) {
        s->v.v[i].looked = true;
        rc = ctx->symbolizer->module(ctx->symbolizer->self, &s->v.v[i].module, &s->v.v[i].info);
    }
    return rc;
}

/* ---- what to ask for ---- */

static bool is_pdb(const struct tk_fact_module *m)
{
    return m->n_image == 20 && m->format && m->format->n == 3 && memcmp(m->format->p, "pdb", 3) == 0;
}

/* Bytes of an id without the zeros that pad it. */
static uint32_t id_length(const struct tk_fact_module *m)
{
    uint32_t n = m->n_image < 64 ? m->n_image : 64;
    while (n && !m->image[n - 1])
        n--;
    static const uint32_t usual[] = {8, 16, 20};
    for (unsigned i = 0; i < 3; i++) /* an id may itself end in zeros */
        if (n <= usual[i] && usual[i] <= m->n_image)
            return n ? usual[i] : 0;
    return n;
}

static size_t put_hex(char *out, const uint8_t *id, uint32_t n)
{
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, 3, "%02x", id[i]);
    return at;
}

/* NAME.pdb/GUIDAGE/NAME.pdb */
static size_t put_store_path(char *out, size_t capacity, struct tk_str name, const uint8_t *id)
{
    char key[48];
    size_t n = name.enc == TK_ENC_UTF16 ? 0 : name.n, at;
    for (size_t dot = n; dot-- > 0;)
        if (name.p[dot] == '.') {
            n = dot ? dot : n;
            break;
        }
    at = (size_t)snprintf(key, sizeof key, "%08X%04X%04X", (unsigned)tk_load32(id),
                          (unsigned)tk_load16(id + 4), (unsigned)tk_load16(id + 6));
    for (unsigned i = 8; i < 16; i++)
        at += (size_t)snprintf(key + at, sizeof key - at, "%02X", id[i]);
    snprintf(key + at, sizeof key - at, "%X", (unsigned)tk_load32(id + 16));
    n = n < 200 ? n : 200;
    return (size_t)snprintf(out, capacity, "%.*s.pdb/%s/%.*s.pdb", (int)n, name.p, key, (int)n, name.p);
}

static struct tk_cell wanted_cell(const struct symbol_files *s, const struct tk_fact_module *m,
                                  struct tk_str name)
{
    char text[512];
    size_t n =
        is_pdb(m) ? put_store_path(text, sizeof text, name, m->image) : put_hex(text, m->image, id_length(m));
    const char *kept = n ? tk_emit_bytes(s->g.emit, text, n) : NULL;
    return kept ? (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)n, .v.p = kept}
                : (struct tk_cell){.kind = TK_NONE};
}

static void fill_symbol_files(const void *self, const void *thing, struct tk_cell *row)
{
    const struct symbol_files *s = self;
    const struct used *used = thing;
    struct tk_str name = tk_path_last_part(used->module.name);
    row[NAME] = tk_cell_of_text(&name);
    row[STATE] = tk_cell_of_c(used->looked ? used->info.state : "not looked for");
    row[ADDRESSES] = tk_cell_of_uint(used->addresses);
    row[RESOLVED] = tk_cell_of_uint(used->resolved);
    row[FILE_NAME] = tk_cell_of_c(used->info.file);
    row[FOUND_BY] = tk_cell_of_c(used->info.how);
    row[WANTED] = wanted_cell(s, &used->module, name);
    row[NOTE] = tk_cell_of_c(used->info.why);
}

static void release_symbol_files(void *self)
{
    struct symbol_files *s = self;
    tk_code_map_release(&s->code);
    tk_callstack_list_release(&s->stacks);
}

static const struct tk_collecting gathering = {
    .what = "files of symbols",
    .start = start_symbol_files,
    .take = take_symbol_files,
    .settle = settle_symbol_files,
    .release = release_symbol_files,
    TK_COLLECTOR_ROWS(struct symbol_files, v),
    .fill = fill_symbol_files,
};

const struct tk_builder tk_builder_symbol_files = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(SAMPLE) | TK_CODE_MAP_FACTS},
    TK_COLLECTS(gathering),
};
