export { asyncapi, type Asyncapi } from "./asyncapi.ts";
export { AsyncapiConfig } from "./asyncapi-config.ts";
