/** The X.509 library, loaded when it is first needed: it registers its classes, and needs `reflect-metadata` before. */
export const loadX509 = async () => {
  await import("reflect-metadata");
  return import("@peculiar/x509");
};
