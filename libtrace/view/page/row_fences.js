// Fences: below each queue of a GPU for which other one it waits.
export const ROW_FENCES = [{ kind: 'fence', title: 'Fences that GPU queues wait at', below: 'gpu', label: 'fences', question: 'GPU time', isWait: () => true }];
