/** Requirements of every server: HS256 with this secret, issuer and audience, and an expiry time in the future. */
export const ALGORITHM = "HS256";
export const SECRET = "a secret for benchmarks of over 32 bytes";
export const ISSUER = "https://login.example";
export const AUDIENCE = "https://books.example";

/** Maximum number of tokens in the cache of a server that has one. */
export const MAX_CACHED_TOKENS = 1000;
