/*
 * A game loop with frames of both types, four workers, bookmarks and an event of its own:
 * TRACEKIT_EMIT=game.utrace ./emit_game [FRAMES]
 */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <tracekit_emit.h>

#define HIT(F, S) F(S, u32, Target) F(S, text, Weapon) F(S, f32, Damage)
TKE_EVENT(Combat, Hit, TKE_SYNC, HIT);
TKE_COUNTER(enemies, "Enemies", TKE_PLAIN);

static void work(int microseconds)
{
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

class Workers
{
  public:
    Workers()
    {
        for (int i = 0; i < 4; i++)
            threads_.emplace_back([this, i] { run(i); });
    }
    ~Workers()
    {
        over_ = true;
        for (std::thread &thread : threads_)
            thread.join();
    }

  private:
    void run(int number)
    {
        tke_thread_name(("Worker " + std::to_string(number)).c_str(), "Pool", 2);
        for (int job = 0; !over_ || job < 5; job++) {
            TKE_SCOPE("Job");
            work(500);
        }
    }
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

static void simulate(int frame)
{
    TKE_SCOPE("Simulate");
    if (frame % 10 == 0) {
        TKE_SEND(Combat, Hit, .Target = static_cast<uint32_t>(frame), .Weapon = "axe", .Damage = 2.5f);
        tke_counter_set(&enemies, 100 - frame);
    }
    work(300);
}

static void render(int frame)
{
    tke_frame_begin(1);
    {
        TKE_SCOPE_META("Render", "%d draws", "Draws", 100 + frame);
        work(200);
    }
    tke_frame_end(1);
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 ? std::atoi(argv[1]) : 100;
    const std::string boss = "Grendel";
    tke_start(nullptr); // does nothing unless TRACEKIT_EMIT is set
    tke_thread_name("GameThread", nullptr, -1);
    Workers workers;
    const uint64_t level = tke_region_begin("Level 1", 7, "Levels");
    for (int i = 0; i < frames; i++) {
        tke_frame_begin(0);
        {
            TKE_SCOPE("Tick");
            simulate(i);
            render(i);
        }
        tke_frame_end(0);
        if (i == frames / 2)
            TKE_BOOKMARK("%s appears in frame %d", boss, i);
    }
    tke_region_end(level);
    std::printf("%d frames\n", frames);
}
