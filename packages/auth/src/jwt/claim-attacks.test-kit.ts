import { forge, validClaims, nowSecs } from "./forge.test-kit.ts";

/** Creates a token signed with the correct secret; `header` adds members to its header. */
export const hs256 = (header: object, claims: unknown = validClaims): string =>
  forge({ alg: "HS256", ...header }, claims);
const withClaims = (claims: object) => hs256({}, { ...validClaims, ...claims });
const withRawClaims = (claims: string) => hs256({}, claims);
const withStrictClaims = (claims: object) =>
  hs256({}, { ...validClaims, iss: "https://id.example", aud: "api", tenant: 1, ...claims });
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Tokens with a valid signature whose claims must be refused (RFC 7519 4.1), and the configuration that refuses them. @default HS256 */
export const claimAttacks: readonly (readonly [name: string, token: string, config?: "strict"])[] = [
  ["exp equal to now", withClaims({ exp: nowSecs })],
  ["exp in the past", withClaims({ exp: nowSecs - 1 })],
  ["exp absent", hs256({}, { sub: "ann" })],
  ["exp null", withClaims({ exp: null })],
  ["exp a string", withClaims({ exp: String(nowSecs + 60) })],
  ["exp a list", withClaims({ exp: [nowSecs + 60] })],
  ["exp true", withClaims({ exp: true })],
  ["CVE-2026-44459: exp 1e400", withRawClaims('{"sub":"ann","exp":1e400}')],
  ["exp negative", withClaims({ exp: -1 })],
  ["exp twice", withRawClaims(`{"sub":"ann","exp":1,"exp":${nowSecs + 60}}`)],
  ["nbf ahead", withClaims({ nbf: nowSecs + 1 })],
  ["nbf a string", withClaims({ nbf: "0" })],
  ["nbf null", withClaims({ nbf: null })],
  ["nbf -1e400", withRawClaims(`{"sub":"ann","exp":${nowSecs + 60},"nbf":-1e400}`)],
  ["iat a string", withClaims({ iat: "now" })],
  ["iat 1e400", withRawClaims(`{"sub":"ann","exp":${nowSecs + 60},"iat":1e400}`)],
  ["sub absent", hs256({}, { exp: nowSecs + 60 })],
  ["sub null", withClaims({ sub: null })],
  ["sub empty", withClaims({ sub: "" })],
  ["sub a number", withClaims({ sub: 0 })],
  ["sub through __proto__", withRawClaims(`{"__proto__":{"sub":"ann"},"exp":${nowSecs + 60}}`)],
  ["sub twice", withRawClaims(`{"sub":"ann","sub":"root","exp":${nowSecs + 60}}`)],
  ["a duplicate name, nested", withRawClaims(`{"sub":"ann","exp":${nowSecs + 60},"a":[{"b":1,"b":2}]}`)],
  ["jti a number", withClaims({ jti: 1 })],
  ["jti over 256 characters", withClaims({ jti: "j".repeat(257) })],
  ["iss a list", withClaims({ iss: ["a"] })],
  ["aud a number", withClaims({ aud: 1 })],
  ["aud with a number", withClaims({ aud: ["a", 1] })],
  ["claims that are a list", hs256({}, [validClaims])],
  ["claims that are a string", hs256({}, '"ann"')],
  ["claims that are not JSON", hs256({}, "sub=ann")],
  ["claims nested too deeply", withRawClaims(`{"sub":"ann","exp":${nowSecs + 60},"a":${deep(33)}}`)],
  ["claims nested very deeply", withRawClaims(`{"sub":"ann","exp":${nowSecs + 60},"a":${deep(2500)}}`)],
  ["iss absent", withStrictClaims({ iss: undefined }), "strict"],
  ["iss with a suffix", withStrictClaims({ iss: "https://id.example.evil" }), "strict"],
  ["iss in a different case", withStrictClaims({ iss: "https://ID.example" }), "strict"],
  ["iss in a list", withStrictClaims({ iss: ["https://id.example"] }), "strict"],
  ["aud absent", withStrictClaims({ aud: undefined }), "strict"],
  ["aud of another service", withStrictClaims({ aud: ["other"] }), "strict"],
  ["aud with a suffix", withStrictClaims({ aud: "api2" }), "strict"],
  ["aud empty", withStrictClaims({ aud: [] }), "strict"],
  ["a required claim absent", withStrictClaims({ tenant: undefined }), "strict"],
  ["a required claim null", withStrictClaims({ tenant: null }), "strict"],
];
