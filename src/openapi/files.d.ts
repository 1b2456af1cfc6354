/** Imports `with { type: "file" }` give a path that is readable in the executable too. */
declare module "*.css" {
  const path: string;
  export default path;
}
declare module "swagger-ui-dist/*.js" {
  const path: string;
  export default path;
}
