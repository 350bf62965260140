// Files: accesses, a lane for each kind of them.
export const ROW_FILES = [{ kind: 'file', title: 'Files', question: 'loading', how: "Unreal records them with the channel 'file' on" }];
