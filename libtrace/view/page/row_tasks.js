// Tasks: from the launch of each to its start.
export const ROW_TASKS = [{ kind: 'task', title: 'Tasks that wait to run', question: 'what threads wait for', how: "Unreal records them with the channel 'task' on", isWait: () => true }];
