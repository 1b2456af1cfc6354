/** Loads the X.509 library on first use. The library needs `reflect-metadata` to be loaded before. */
export const loadX509 = async () => {
  await import("reflect-metadata");
  return import("@peculiar/x509");
};
