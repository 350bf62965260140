// Locks: which threads wait for each and hold it.
export const ROW_LOCKS = [{ kind: 'lock', title: 'Locks', question: 'what threads wait for', how: 'Tracy records locks that are TracyLockable, Unreal the one of its physics', isWait: name => name.endsWith(' waits') }];
