// Fences: below each queue of a GPU for which other one it waits.
export const ROW_FENCES = [{ kind: 'fence', title: 'Fences that GPU queues wait at', below: 'gpu', label: 'fences', question: 'GPU time', how: "Unreal records them with the channel 'gpu' on, where queues wait for each other", isWait: () => true }];
