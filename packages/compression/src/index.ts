export { CompressionConfig, type Encoding } from "./compression-config.ts";
export { compression, type Compression } from "./compression.ts";
