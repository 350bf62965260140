// Packages: each from the first to the last step of its loading.
export const ROW_PACKAGES = [{ kind: 'package', title: 'Loading of packages', question: 'loading', how: "Unreal records them with the channel 'loadtime' on" }];
