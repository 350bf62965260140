// Requests: what asks for packages to be loaded, and for how many.
export const ROW_REQUESTS = [{ kind: 'request', title: 'Requests to load packages', question: 'loading', how: "Unreal records them with the channel 'loadtime' on" }];
