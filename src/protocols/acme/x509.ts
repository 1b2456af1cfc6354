/** Loads the X.509 library on first use. It needs `reflect-metadata` before. */
export const loadX509 = async () => {
  await import("reflect-metadata");
  return import("@peculiar/x509");
};
