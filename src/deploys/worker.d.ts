/** Imports `with { type: "text" }`: a worker's program. */
declare module "*.worker.js" {
  const program: string;
  export default program;
}
