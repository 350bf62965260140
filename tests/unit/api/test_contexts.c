/* What allocations belong to: assets, packages, callstacks, modules, and the definitions that they refer to;
 * most come after their use. Expectations are worked out by hand. */
#include "memory_put.h"

/* ---- contexts ---- */

struct asset_types {
    struct tk_uw_type name, asset;
    struct put_type *package, *other, *clear, *save, *restore, *mapping;
};

static const struct tk_uw_field name_fields[] = {
    {.name = "DisplayWide", .type = TK_UW_WIDE},
    {.name = "DisplayAnsi", .type = TK_UW_ANSI},
    {.name = "", .type = TK_UW_U32, .family = TK_UW_DEFINITION_ID},
};

static void asset_types(struct captured *c, struct asset_types *t, struct tk_uw_field fields[3])
{
    static const char *const names[] = {"Name", "Class", "Package"};
    t->name = (struct tk_uw_type){.logger = "Strings",
                                  .event = "FName",
                                  .fields = name_fields,
                                  .field_count = 3,
                                  .flags = TK_UW_NOSYNC | TK_UW_AUX | TK_UW_DEFINITION};
    captured_type(c, &t->name);
    for (size_t i = 0; i < 3; i++)
        fields[i] = (struct tk_uw_field){
            .name = names[i], .type = TK_UW_U32, .family = TK_UW_REFERENCE, .refers_to = t->name.uid};
    t->asset =
        (struct tk_uw_type){.logger = "Metadata", .event = "Asset", .fields = fields, .field_count = 3};
    captured_type(c, &t->asset);
    t->package = put_new(c, "Metadata.PackageId", "Id:q", TK_UW_NOSYNC);
    t->other = put_new(c, "Metadata.Plugin", "Whatever:i", TK_UW_NOSYNC);
    t->clear = put_new(c, "MetadataStack.ClearScope", "", TK_UW_NOSYNC);
    t->save = put_new(c, "MetadataStack.SaveStack", "Id:i", 0);
    t->restore = put_new(c, "MetadataStack.RestoreStack", "Id:i", 0);
}

static void asset_free(struct asset_types *t)
{
    free(t->package);
    free(t->other);
    free(t->clear);
    free(t->save);
    free(t->restore);
}

static void define(struct captured *c, unsigned lane, struct asset_types *t, uint32_t id, const char *wide,
                   const char *ansi)
{
    struct tk_uw_bytes text = {0};
    struct tk_uw_lane *to = &c->lanes[lane];
    tk_uw_wide(&text, wide);
    tk_uw_begin(to, &t->name);
    tk_uw_u32(&to->pending, id);
    tk_uw_value(to, &t->name, 0, text.data, text.size);
    tk_uw_value(to, &t->name, 1, ansi, strlen(ansi));
    tk_uw_end(to, &t->name);
    tk_uw_bytes_release(&text);
}

static void enter_asset(struct captured *c, unsigned lane, struct asset_types *t, uint32_t name)
{
    struct tk_uw_lane *to = &c->lanes[lane];
    tk_uw_enter(to);
    tk_uw_begin(to, &t->asset);
    tk_uw_u32(&to->pending, name);
    tk_uw_u32(&to->pending, 90);
    tk_uw_u32(&to->pending, 91);
    tk_uw_end(to, &t->asset);
}

START_TEST(allocations_know_their_asset)
{
    struct asset_types a;
    struct tk_uw_field fields[3];
    memory_begin();
    struct captured *c = capture;
    asset_types(c, &a, fields);
    enter_asset(c, 0, &a, 1);
    alloc(0, 16, 8);
    alloc(1, 32, 8); /* another thread */
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.other, Q(3)); /* of no asset: the one around it stays */
    alloc(0, 48, 8);
    leave(0);
    enter_asset(c, 0, &a, 2);
    alloc(0, 64, 16);
    put(c, 0, a.save, Q(77));
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.clear);
    alloc(0, 80, 8); /* nothing */
    enter_asset(c, 0, &a, 1);
    alloc(0, 96, 8);
    leave(0);
    leave(0);
    alloc(0, 112, 8); /* 2 again */
    leave(0);
    leave(0);
    alloc(0, 128, 8); /* nothing */
    enter_asset(c, 1, &a, 1);
    tk_uw_enter(&c->lanes[1]);
    put(c, 1, a.restore, Q(77)); /* what thread 2 saved */
    alloc(1, 144, 8);
    leave(1);
    alloc(1, 160, 8); /* 1 */
    tk_uw_enter(&c->lanes[1]);
    put(c, 1, a.restore, Q(78)); /* never saved */
    alloc(1, 176, 8);
    leave(1);
    define(c, 1, &a, 1, "", "Rock"); /* late, and on another thread */
    define(c, 1, &a, 2, "Tree", "not this");
    define(c, 1, &a, 90, "", "Mesh");
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "allocations", "address,asset,asset_class,package"),
        "16|Rock|Mesh|\n32|||\n48|Rock|Mesh|\n64|Tree|Mesh|\n80|||\n96|Rock|Mesh|\n112|Tree|Mesh|\n"
        "128|||\n144|Tree|Mesh|\n160|Rock|Mesh|\n176|||\n");
    ck_assert_str_eq(captured_table(c, "assets", "asset,class,package,scopes,alive_bytes,alive_count,allocs"),
                     "Rock|Mesh||3|32|4|4\nTree|Mesh||1|32|3|3\n");
    c->by = TK_BY_ASSET;
    ck_assert_str_eq(captured_table(c, "memory", "by,name,alive_bytes"),
                     "total||96\nasset|(no asset)|32\nasset|Rock|32\nasset|Tree|32\n");
    ck_assert_uint_eq(captured_faults(c, "assets", "memory_unmatched"), 1);
    asset_free(&a);
    memory_end();
}
END_TEST

/* A package counts where no asset is around it; its name may come at any time. */
START_TEST(packages_stand_in_for_assets)
{
    struct asset_types a;
    struct tk_uw_field fields[3];
    memory_begin();
    struct captured *c = capture;
    asset_types(c, &a, fields);
    struct tk_uw_field mapping_fields[] = {
        {.name = "Id", .type = TK_UW_U64},
        {.name = "Package", .type = TK_UW_U32, .family = TK_UW_REFERENCE, .refers_to = a.name.uid}};
    struct tk_uw_type mapping = {
        .logger = "Package", .event = "PackageMapping", TK_UW_FIELDS(mapping_fields), .flags = TK_UW_NOSYNC};
    captured_type(c, &mapping);
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.package, Q(0xabcdef0123456789));
    alloc(0, 16, 8);
    enter_asset(c, 0, &a, 1);
    tk_uw_enter(&c->lanes[0]);
    put(c, 0, a.package, Q(5));
    alloc(0, 32, 8);
    tk_uw_begin(&c->lanes[1], &mapping);
    tk_uw_u64(&c->lanes[1].pending, 0xabcdef0123456789);
    tk_uw_u32(&c->lanes[1].pending, 7);
    tk_uw_end(&c->lanes[1], &mapping);
    define(c, 1, &a, 7, "/Game/Level", "");
    define(c, 1, &a, 1, "", "Rock");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address,asset,package"),
                     "16|/Game/Level|/Game/Level\n32|Rock|\n");
    ck_assert_str_eq(captured_table(c, "assets", "asset,package,scopes,alive_count"),
                     "/Game/Level|/Game/Level|1|1\nRock||1|1\n||1|0\n");
    asset_free(&a);
    memory_end();
}
END_TEST

static const struct tk_uw_field bare_fields[] = {
    {.name = "", .type = TK_UW_U64, .family = TK_UW_DEFINITION_ID}};

/* The latest text of an id, the wide one unless it is empty; types without a text too. */
START_TEST(definitions_by_type_and_id)
{
    struct asset_types a;
    struct tk_uw_field fields[3];
    struct captured *c = captured_new(7);
    asset_types(c, &a, fields);
    struct tk_uw_type bare = {.logger = "Other",
                              .event = "Thing",
                              TK_UW_FIELDS(bare_fields),
                              .flags = TK_UW_NOSYNC | TK_UW_DEFINITION};
    captured_type(c, &bare);
    define(c, 0, &a, 9, "Old", "");
    define(c, 1, &a, 3, "", "narrow");
    define(c, 0, &a, 9, "New", "");
    tk_uw_begin(&c->lanes[0], &bare);
    tk_uw_u64(&c->lanes[0].pending, 9);
    tk_uw_end(&c->lanes[0], &bare);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "definitions", "type,definition_id,text"),
                     "Other.Thing|9|\nStrings.FName|3|narrow\nStrings.FName|9|New\n");
    asset_free(&a);
    captured_free(c);
}
END_TEST

/* ---- callstacks and modules ---- */

static void callstack(struct captured *c, unsigned lane, const struct tk_uw_type *type, uint32_t id,
                      const uint64_t *frames, size_t n)
{
    struct tk_uw_lane *to = &c->lanes[lane];
    tk_uw_begin(to, type);
    tk_uw_u32(&to->pending, id);
    tk_uw_value_numbers(to, type, 1, frames, n * sizeof *frames);
    tk_uw_end(to, type);
}

START_TEST(frames_by_module_and_offset)
{
    static const struct tk_uw_field fields[] = {{.name = "CallstackId", .type = TK_UW_U32},
                                                {.name = "Frames", .type = TK_UW_U64S}};
    struct tk_uw_type spec = {.logger = "Memory",
                              .event = "CallstackSpec",
                              TK_UW_FIELDS(fields),
                              .flags = TK_UW_NOSYNC | TK_UW_AUX};
    memory_begin();
    struct captured *c = capture;
    captured_type(c, &spec);
    struct put_type *init =
        put_new(c, "Diagnostics.ModuleInit", "SymbolFormat:s ModuleBaseShift:b", TK_UW_NOSYNC);
    struct put_type *load =
        put_new(c, "Diagnostics.ModuleLoad", "Name:w Base:q Size:i ImageId:B", TK_UW_NOSYNC);
    struct put_type *unload = put_new(c, "Diagnostics.ModuleUnload", "Base:q", TK_UW_NOSYNC);
    struct put_type *mark =
        put_new(c, "Misc.Bookmark", "Cycle:q BookmarkPoint:q FormatArgs:B CallstackId:i", 0);
    put(c, 0, init, "pdb", Q(0));
    put(c, 0, load, "/opt/game", Q(0x1000), Q(0x1000), "\x01\xab", (size_t)2);
    put(c, 0, load, "C:\\bin\\old.dll", Q(0x4000), Q(0x1000), "", (size_t)0);
    put(c, 0, unload, Q(0x4000));
    put(c, 0, load, "new.dll", Q(0x4800), Q(0x1000), "", (size_t)0);
    put(c, 0, load, "huge", Q(0xfffffffffffff000), Q(0xffffffff), "", (size_t)0);
    put(c, 0, unload, Q(0x7777));    /* never loaded */
    alloc(0, 16, 8);                 /* callstack 70, defined later on another thread */
    alloc(1, 32, 8);                 /* callstack 71, never defined */
    for (unsigned i = 0; i < 5; i++) /* 4 has no frames */
        put(c, 0, mark, Q(1000 + i), Q(1), "", (size_t)0, Q(((const uint64_t[]){70, 71, 0, 72, 4})[i]));
    callstack(c, 1, &spec, 70, (const uint64_t[]){0x1fff, 0x2000, 0x4100, 0x4900, 0x57ff, UINT64_MAX}, 6);
    callstack(c, 0, &spec, 3, (const uint64_t[]){0x1000}, 1);
    callstack(c, 0, &spec, 4, NULL, 0);
    callstack(c, 0, &spec, 72, (const uint64_t[]){0x2000}, 1);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "modules", "module,base,bytes,image_id,symbol_format,unloaded,path"),
                     "game|4096|4096|01ab|pdb|0|/opt/game\n"
                     "old.dll|16384|4096||pdb|1|C:\\bin\\old.dll\n"
                     "new.dll|18432|4096||pdb|0|new.dll\n"
                     "huge|-4096|4294967295||pdb|0|huge\n");
    ck_assert_uint_eq(captured_faults(c, "modules", "definition_missing"), 1);
    ck_assert_str_eq(captured_table(c, "bookmarks", "callstack_id,function"),
                     "70|game+0xfff\n71|(not in the capture)\n0|\n72|0x2000\n4|\n");
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack_id,frame,address,module,offset"),
                     "3|0|4096|game|0\n"
                     "70|0|8191|game|4095\n"
                     "70|1|8192||\n"
                     "70|2|16640|old.dll|256\n"
                     "70|3|18688|new.dll|256\n"
                     "70|4|22527|new.dll|4095\n"
                     "70|5|-1|huge|4095\n"
                     "72|0|8192||\n");
    c->by = TK_BY_CALLSTACK;
    ck_assert_str_eq(captured_table(c, "memory", "by,key,name,alive_bytes"),
                     "total|||16\ncallstack|70|game+0xfff|8\ncallstack|71|(not in the capture)|8\n");
    ck_assert_str_eq(captured_table(c, "allocations", "callstack_id,frame"),
                     "70|game+0xfff\n71|(not in the capture)\n");
    c->limit = "callstack_bytes=60"; /* space for the one of one frame and the empty one */
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack_id,frame"), "3|0\n");
    ck_assert_uint_eq(captured_faults(c, "callstacks", "limit_reached"), 2); /* 70 and 72 */
    free(init);
    free(load);
    free(unload);
    free(mark);
    memory_end();
}
END_TEST

/* Early engines write 32 bits, to be shifted. */
START_TEST(bases_of_32_bits)
{
    struct captured *c = captured_new(7);
    struct put_type *load = put_new(c, "Diagnostics.ModuleLoad", "Name:w Base:i Size:i", TK_UW_NOSYNC);
    struct put_type *init = put_new(c, "Diagnostics.ModuleInit", "SymbolFormat:s", TK_UW_NOSYNC);
    put(c, 0, load, "a", Q(0x7fff1234), Q(16)); /* 0x7fff12340000 */
    put(c, 0, init, "pdb");
    put(c, 0, load, "b", Q(1), Q(16));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "modules", "module,base,symbol_format"),
                     "a|140733498785792|\nb|65536|pdb\n");
    free(init);
    free(load);
    captured_free(c);
}
END_TEST

/* A definition after its use, the latest of several, one that never comes, and one of another type with the
 * same id. */
START_TEST(events_show_what_they_refer_to)
{
    static const char *const events[] = {"Metadata.Asset"};
    struct asset_types a;
    struct tk_uw_field fields[3];
    struct captured *c = captured_new(7);
    asset_types(c, &a, fields);
    struct tk_uw_type bare = {.logger = "Other",
                              .event = "Thing",
                              TK_UW_FIELDS(bare_fields),
                              .flags = TK_UW_NOSYNC | TK_UW_DEFINITION};
    captured_type(c, &bare);
    enter_asset(c, 0, &a, 1);
    captured_send(c);
    tk_uw_begin(&c->lanes[0], &bare);
    tk_uw_u64(&c->lanes[0].pending, 91);
    tk_uw_end(&c->lanes[0], &bare);
    define(c, 1, &a, 1, "Old", "");
    define(c, 1, &a, 1, "", "Rock");
    define(c, 1, &a, 90, "Mesh", "");
    captured_close(c);
    c->select = (struct tk_selection){.events = events, .n_events = 1};
    ck_assert_str_eq(captured_table(c, "events", "event,fields"),
                     "Metadata.Asset|{Name={id=1 text=Rock} Class={id=90 text=Mesh} Package={id=91}}\n");
    asset_free(&a);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        allocations_know_their_asset,
        packages_stand_in_for_assets,
        definitions_by_type_and_id,
        frames_by_module_and_offset,
        bases_of_32_bits,
        events_show_what_they_refer_to,
    };
    return RUN_TESTS("contexts", tests);
}
