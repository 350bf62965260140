// Locks: which threads wait for each and hold it.
export const ROW_LOCKS = [{ kind: 'lock', title: 'Locks', question: 'what threads wait for', isWait: name => name.endsWith(' waits') }];
