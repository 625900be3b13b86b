import type { ConfigInput } from "@framework/core/feature";
import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { JwtAuth, JwtConfig } from "../index.ts";
import { parseCompactToken } from "./compact-token.ts";
import { readOwnKeys } from "../tokens/own-keys.ts";
import { loadTokenTools } from "../tokens/token-tools.ts";

/** Returns the payload of a token if its signature is valid, through the code path of requests. */
const verifiedPayload = async (input: ConfigInput<JwtConfig>, text: string): Promise<string | null> => {
  const config = JwtConfig.of(input);
  const tools = await loadTokenTools(config, readOwnKeys(config), undefined);
  const token = parseCompactToken(text, config.algorithm);
  const key = await tools.keyFor(token?.kid);
  const payload = token === null || key === null ? null : await tools.signatures.verify(token, key);
  return payload === null ? null : new TextDecoder().decode(payload);
};

const joe = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';
const joePart =
  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const frodo =
  "It\u2019s a dangerous business, Frodo, going out your door. You step onto the road, and if you don't keep your feet, there\u2019s no knowing where you might be swept off to.";
const frodoPart = Buffer.from(frodo).toString("base64url");
const hobbitonRsa = {
  kty: "RSA",
  kid: "bilbo.baggins@hobbiton.example",
  use: "sig",
  n: "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw",
  e: "AQAB",
};
const a1Key = Buffer.from(
  "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
  "base64url",
);
const a1 = `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${joePart}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`;

const vectors: readonly (readonly [
  name: string,
  payload: string,
  config: ConfigInput<JwtConfig>,
  token: string,
])[] = [
  ["RFC 7515 A.1, HS256", joe, { secret: a1Key }, a1],
  [
    "RFC 7515 A.2, RS256",
    joe,
    {
      algorithm: "RS256",
      publicKey: {
        kty: "RSA",
        n: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
        e: "AQAB",
      },
    },
    `eyJhbGciOiJSUzI1NiJ9.${joePart}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
  ],
  [
    "RFC 7515 A.3, ES256",
    joe,
    {
      algorithm: "ES256",
      publicKey: {
        kty: "EC",
        crv: "P-256",
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      },
    },
    `eyJhbGciOiJFUzI1NiJ9.${joePart}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
  ],
  [
    "RFC 7515 A.4, ES512",
    "Payload",
    {
      algorithm: "ES512",
      publicKey: {
        kty: "EC",
        crv: "P-521",
        x: "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
        y: "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
      },
    },
    "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn",
  ],
  [
    "RFC 7520 4.1, RS256",
    frodo,
    { algorithm: "RS256", publicKey: hobbitonRsa },
    `eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.${frodoPart}.MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg`,
  ],
  [
    "RFC 7520 4.2, PS384",
    frodo,
    { algorithm: "PS384", publicKey: hobbitonRsa },
    `eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.${frodoPart}.cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw`,
  ],
  [
    "RFC 7520 4.3, ES512",
    frodo,
    {
      algorithm: "ES512",
      publicKey: {
        kty: "EC",
        crv: "P-521",
        x: "AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
        y: "AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1",
      },
    },
    `eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.${frodoPart}.AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDDyYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2`,
  ],
  [
    "RFC 7520 4.4, HS256",
    frodo,
    { secret: Buffer.from("hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg", "base64url") },
    `eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9.${frodoPart}.s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0`,
  ],
  [
    "RFC 8037 A.4, EdDSA",
    "Example of Ed25519 signing",
    {
      algorithm: "EdDSA",
      publicKey: { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
    },
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
  ],
];

test.each(vectors)(
  "the signature of %s verifies, and with another payload it does not",
  async (_name, payload, config, token) => {
    expect(await verifiedPayload(config, token)).toBe(payload);
    const [header = "", , signature = ""] = token.split(".");
    expect(
      await verifiedPayload(
        config,
        `${header}.${Buffer.from(`${payload} `).toString("base64url")}.${signature}`,
      ),
    ).toBeNull();
  },
);

test("an app refuses the token of RFC 7515 A.1, which has no subject, even before its expiry", async () => {
  const auth = new JwtAuth(
    { secret: a1Key, issuer: "joe", requiredClaims: [] },
    { clock: virtualClock({ start: 1_300_819_379_000 }) },
  );
  const app = new App().use(auth);
  app.get("/", () => "in");
  await using client = testClient(app);
  expect((await client.get("/", { headers: { authorization: `Bearer ${a1}` } })).status).toBe(401);
});
