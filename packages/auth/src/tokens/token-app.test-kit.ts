import { App, type Guard } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { type VirtualClock, virtualClock } from "@framework/core/testing";
import { testClient, type TestReply } from "@framework/testing";
import { type Claims, JwtAuth, type JwtConfig } from "../index.ts";

export const secret = "0123456789abcdef0123456789abcdef";

/** An app that requires a token, and its clock. */
export interface TokenApp extends AsyncDisposable {
  /** Messages of warnings and errors. */
  readonly logged: readonly string[];
  readonly clock: VirtualClock;
  /** Returns the current time of the clock in Unix seconds. */
  readonly secs: () => number;
  readonly auth: JwtAuth;
  readonly send: (token: string) => Promise<TestReply>;
  readonly status: (token: string) => Promise<number>;
}

export const setUp = async (
  config: ConfigInput<JwtConfig> = {},
  guards: readonly Guard[] = [],
): Promise<TokenApp> => {
  const logged: string[] = [];
  const clock = virtualClock({ start: 1_800_000_000_000 });
  const auth = new JwtAuth({ secret, ...config }, { clock });
  const app = new App().use(auth);
  app.get("/", { guards }, (request) => request.context.get("jwt_claims"));
  const note = (message: string) => void logged.push(message);
  const client = testClient(app, { log: { info() {}, warn: note, error: note } });
  await app.start({ log: { info() {}, warn: note, error: note } });
  const send = async (token: string) => client.get("/", { headers: { authorization: `Bearer ${token}` } });
  const status = async (token: string) => (await send(token)).status;
  const secs = () => clock.date() / 1000;
  return {
    logged,
    clock,
    secs,
    auth,
    send,
    status,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
};

/** Returns the claims of a token. */
export const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;
export const invalidTokenError: { readonly status: number; readonly detail: string } = {
  status: 401,
  detail: "Invalid or expired token",
};
