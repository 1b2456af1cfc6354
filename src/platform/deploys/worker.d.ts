/** The program of a worker, imported `with { type: "text" }`. */
declare module "*.worker.js" {
  const program: string;
  export default program;
}
