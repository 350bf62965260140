/*
 * What a Tracy capture holds behind its zones: callstacks and symbols, pictures, threads on cores, source
 * files. The tables must say what the description of the capture says (tracy/sample.h).
 */
#include "captured.h"
#include "format/tracy/sample.h"

static const struct {
    const char *table, *columns, *rows;
} cases[] = {
    {"callstacks", "callstack_id,frame,address,module,function",
     "1|0|4112|build 17|Game::Update\n1|0|4112|build 17|Game::Draw\n1|1|8224|build 17|Game::Draw\n"
     "2|0|4611686018427387905||Game::Draw\n2|1|36864||\n2|2|8224|build 17|Game::Draw\n"},
    {"symbols", "address,bytes,name,file,line,image,inline,call_file,call_line",
     "4096|64|Game::Update|src/game.cpp|10|build 17|0||\n"
     "4104|8|Game::Draw|src/game.cpp|20|build 17|1|src/game.cpp|12\n"},
    {"frame_images", "image_id,width,height,flipped,bytes", "0|4|4|0|8\n1|8|4|1|16\n"},
    {"source_files", "file,bytes,text", "src/game.cpp|10|int main;\n\nempty.h|0|\n"},
    {"cpu_use", "system_id,thread,name,process_id,running,regions,migrations",
     "100|Main thread||4711|1000|2|1\n900||loading|12|10|1|0\n"},
    /* the fiber, which a thread goes on with, has no core */
    {"switch_rows", "start,end,system_id,thread_id,thread,core",
     "50|60|900||loading|2\n70|90|901|||2\n"
     "1000|1400|100|1|Main thread|0\n1500|2100|100|1|Main thread|1\n"},
    {"hardware_samples", "time,address,event",
     "1100|4112|cycles\n1050|4112|cycles\n1200|4112|cycles\n1100|4112|cache misses\n1050|4112|branch "
     "misses\n"},
    /* the first sample is of callstack 2, whose innermost frame is an index; the second of one without frames
     */
    {"sample_rows", "time,system_id,depth,address,function",
     "1|100|3|4611686018427387905|Game::Draw\n5|100|0||\n"},
};

START_TEST(as_described)
{
    struct captured *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    strcpy(c->path, "/tmp/tracekit-unit-XXXXXX");
    int fd = mkstemp(c->path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    const struct tk_tw_options options = {.path = c->path, .version = TK_TW_V(0, 14, 0)};
    ck_assert_int_eq(tk_tw_write(&options, &sample), 0);
    ck_assert_str_eq(captured_table(c, cases[_i].table, cases[_i].columns), cases[_i].rows);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {as_described};
    return RUN_TESTS_EACH("cores and symbols", tests, sizeof cases / sizeof *cases);
}
