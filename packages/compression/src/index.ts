export { CompressionConfig, type Encoding } from "./compression-config.ts";
export { compression, type Compression, type CompressionRouteOptions } from "./compression.ts";
