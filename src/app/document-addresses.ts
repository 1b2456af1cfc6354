import type { Config } from "../config/config.ts";
import type { Addresses } from "../openapi/sections.ts";

/** The addresses in OpenAPI documents. @param port of the samples' addresses while BASE_URL is not set */
export const documentAddresses = ({ baseUrl, stagingBaseUrl }: Config, port: number): Addresses => ({
  baseUrl: baseUrl ?? "",
  stagingBaseUrl: stagingBaseUrl ?? "",
  localUrl: `http://localhost:${port}`,
});
