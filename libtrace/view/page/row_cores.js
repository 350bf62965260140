// Cores: which thread runs on each; and below each thread on which core it runs, and which thread ran instead.
export const ROW_CORES = [
  { kind: 'running', title: 'Cores of threads, and what ran instead', below: 'thread', label: 'on core', question: 'what threads wait for', how: "Unreal records them with the channel 'contextswitch' on, Tracy as administrator", isWait: name => !/^core \d+$/.test(name) },
  { kind: 'core', title: 'Cores', question: 'what threads wait for', how: "Unreal records them with the channel 'contextswitch' on, Tracy as administrator" },
];
