/*
 * Every kind of event that the emitter writes, in numbers that check_emit.py knows: 100 frames of both types
 * with five scopes each, of which 90 frames have all (the channel is off from the middle of frame 30 to that
 * of 39), then two workers.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tracekit_emit.h>

#define HIT(F, S) F(S, u32, Target) F(S, text, Weapon) F(S, f32, Damage)
TKE_EVENT(Combat, Hit, TKE_SYNC, HIT);
#define POS(F, S) F(S, f64, X) F(S, i16, Floor) F(S, wide, Place) F(S, bytes, Data) F(S, boolean, Seen)
TKE_EVENT(Game, Pos, TKE_NOSYNC, POS);
TKE_COUNTER(enemies, "Enemies", TKE_PLAIN);
TKE_COUNTER(heap, "Heap", TKE_MEMORY);
TKE_COUNTER_REAL(speed, "Speed", TKE_PLAIN);

static void tick(int i)
{
    TKE_SCOPE("Tick");
    {
        TKE_SCOPE_META("Load", "%s (%d)", "Asset,Size", i % 2 ? "rock" : "Grätz", -i);
    }
    {
        TKE_BEGIN("Manual");
        tke_begin(tke_name("dynamic", 7));
        tke_end();
        TKE_END();
    }
    if (i == 30)
        tke_channel_set("cpu", false);
    TKE_BEGIN("MaybeOff");
    TKE_BEGIN("MaybeOff inside");
    if (i == 39)
        tke_channel_set("Cpu", true);
    TKE_END();
    TKE_END();
}

static void frame(int i)
{
    tke_frame_begin(0);
    tke_frame_begin(1);
    tick(i);
    tke_counter_set(&enemies, i);
    tke_counter_set(&heap, (int64_t)i << 32);
    tke_counter_set_real(&speed, i / 8.0);
    TKE_SEND(Combat, Hit, .Target = (uint32_t)i, .Weapon = i % 2 ? "axe" : NULL, .Damage = 2.5f);
    tke_frame_end(1);
    tke_frame_end(0);
}

static void *worker(void *of)
{
    tke_thread_name(of, "Pool", 3);
    for (int i = 0; i < 50; i++) {
        TKE_SCOPE("Job");
        TKE_LOG("LogJob", TKE_WARNING, "job %d of %s took %.1f ms", i, (const char *)of, i / 2.0);
        TKE_SEND(Game, Pos, .X = i, .Floor = -3, .Place = "Grätz", .Data = {"\1\2\3", 3}, .Seen = i % 2);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct tke_options options = {
        .size = sizeof options, .target = argv[argc - 1], .app = "families", .build = "7", .changelist = 42};
    const int error = tke_start(&options);
    if (error) {
        fprintf(stderr, "tke_start: %s\n", strerror(error));
        return 1;
    }
    tke_thread_name("GameThread", NULL, -1);
    const uint64_t region = tke_region_begin("Level", 5, "Phase");
    for (int i = 0; i < 100; i++)
        frame(i);
    TKE_BOOKMARK("boss %s appears, %d hp", "Grätz", 500);
    tke_region_end(region);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, worker, "Worker 1");
    pthread_create(&threads[1], NULL, worker, "Worker 2");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    tke_log_text("LogMain", TKE_INFO, "done 100%", 9);
    tke_stop();
    struct tke_info info;
    tke_get_info(&info);
    printf("scopes %llu lost %llu %llu error %d\n", (unsigned long long)info.scopes,
           (unsigned long long)info.lost_scopes, (unsigned long long)info.lost_events, info.os_error);
    return 0;
}
