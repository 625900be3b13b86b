import { forge, validClaims, nowSecs } from "./forge.test-kit.ts";

/** Creates a token signed with the correct secret; `header` adds members to its header. */
export const hs = (header: object, claims: unknown = validClaims): string =>
  forge({ alg: "HS256", ...header }, claims);
const claiming = (claims: object) => hs({}, { ...validClaims, ...claims });
const raw = (claims: string) => hs({}, claims);
const strictly = (claims: object) =>
  hs({}, { ...validClaims, iss: "https://id.example", aud: "api", tenant: 1, ...claims });
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Tokens with a valid signature whose claims must be refused (RFC 7519 4.1), and the configuration that refuses them. @default HS256 */
export const claimAttacks: readonly (readonly [name: string, token: string, config?: "strict"])[] = [
  ["exp equal to now", claiming({ exp: nowSecs })],
  ["exp in the past", claiming({ exp: nowSecs - 1 })],
  ["exp absent", hs({}, { sub: "ann" })],
  ["exp null", claiming({ exp: null })],
  ["exp a string", claiming({ exp: String(nowSecs + 60) })],
  ["exp a list", claiming({ exp: [nowSecs + 60] })],
  ["exp true", claiming({ exp: true })],
  ["CVE-2026-44459: exp 1e400", raw('{"sub":"ann","exp":1e400}')],
  ["exp negative", claiming({ exp: -1 })],
  ["exp twice", raw(`{"sub":"ann","exp":1,"exp":${nowSecs + 60}}`)],
  ["nbf ahead", claiming({ nbf: nowSecs + 1 })],
  ["nbf a string", claiming({ nbf: "0" })],
  ["nbf null", claiming({ nbf: null })],
  ["nbf -1e400", raw(`{"sub":"ann","exp":${nowSecs + 60},"nbf":-1e400}`)],
  ["iat a string", claiming({ iat: "now" })],
  ["iat 1e400", raw(`{"sub":"ann","exp":${nowSecs + 60},"iat":1e400}`)],
  ["sub absent", hs({}, { exp: nowSecs + 60 })],
  ["sub null", claiming({ sub: null })],
  ["sub empty", claiming({ sub: "" })],
  ["sub a number", claiming({ sub: 0 })],
  ["sub through __proto__", raw(`{"__proto__":{"sub":"ann"},"exp":${nowSecs + 60}}`)],
  ["sub twice", raw(`{"sub":"ann","sub":"root","exp":${nowSecs + 60}}`)],
  ["a duplicate name, nested", raw(`{"sub":"ann","exp":${nowSecs + 60},"a":[{"b":1,"b":2}]}`)],
  ["jti a number", claiming({ jti: 1 })],
  ["jti over 256 characters", claiming({ jti: "j".repeat(257) })],
  ["iss a list", claiming({ iss: ["a"] })],
  ["aud a number", claiming({ aud: 1 })],
  ["aud with a number", claiming({ aud: ["a", 1] })],
  ["claims that are a list", hs({}, [validClaims])],
  ["claims that are a string", hs({}, '"ann"')],
  ["claims that are not JSON", hs({}, "sub=ann")],
  ["claims nested too deeply", raw(`{"sub":"ann","exp":${nowSecs + 60},"a":${deep(33)}}`)],
  ["claims nested very deeply", raw(`{"sub":"ann","exp":${nowSecs + 60},"a":${deep(2500)}}`)],
  ["iss absent", strictly({ iss: undefined }), "strict"],
  ["iss with a suffix", strictly({ iss: "https://id.example.evil" }), "strict"],
  ["iss in a different case", strictly({ iss: "https://ID.example" }), "strict"],
  ["iss in a list", strictly({ iss: ["https://id.example"] }), "strict"],
  ["aud absent", strictly({ aud: undefined }), "strict"],
  ["aud of another service", strictly({ aud: ["other"] }), "strict"],
  ["aud with a suffix", strictly({ aud: "api2" }), "strict"],
  ["aud empty", strictly({ aud: [] }), "strict"],
  ["a required claim absent", strictly({ tenant: undefined }), "strict"],
  ["a required claim null", strictly({ tenant: null }), "strict"],
];
