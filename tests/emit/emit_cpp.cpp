/* All of the header in C++11 and later, without exceptions and RTTI. */
#include <string>

#include <tracekit_emit.h>

#define HIT(F, S) F(S, u32, Target) F(S, text, Weapon) F(S, f32, Damage)
TKE_EVENT(Combat, Hit, TKE_SYNC, HIT);
TKE_COUNTER(enemies, "Enemies", TKE_PLAIN);
TKE_COUNTER_REAL(speed, "Speed", TKE_PLAIN);

static int half(int n)
{
    TKE_SCOPE("half");
    TKE_SCOPE("half again");
    if (n > 10)
        return n / 2;
    return 0;
}

int main()
{
    const std::string asset = "rock";
    const uint32_t net = tke_channel("Net");
    tke_start(NULL);
    tke_thread_name("Main", "Group", 1);
    for (int i = 0; i < 3; i++) {
        const int size = half(i);
        (void)size;
        TKE_SCOPE_META("Load", "%s (%d)", "Asset,Size", asset, size);
        TKE_SCOPE_ON(net, "Poll");
        TKE_LOG("LogNet", TKE_WARNING, "lost %d of %s, %.1f, %p", i, asset, 1.5f, static_cast<const void *>(&asset));
        TKE_LOG("LogNet", TKE_INFO, "no argument");
        TKE_BOOKMARK("wave %d", i);
        TKE_BEGIN("Manual");
        TKE_END();
    }
    TKE_SEND(Combat, Hit, .Target = 3, .Damage = 2.5f);
    tke_counter_set(&enemies, 3);
    tke_counter_set_real(&speed, 3.5);
    tke_stop();
    return 0;
}
