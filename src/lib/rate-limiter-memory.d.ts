/** The file of rate-limiter-flexible that is used. Its index loads the stores of a dozen databases. */
declare module "rate-limiter-flexible/lib/RateLimiterMemory.js" {
  export { RateLimiterMemory as default } from "rate-limiter-flexible";
}
