// oxlint-disable no-restricted-imports -- bench does not depend on the feature packages
import { App } from "@framework/core";
import { ApiKeyAuth, BasicAuth, hashPassword, verifyPassword } from "../../packages/auth/src/index.ts";

/** Two kinds of requests whose response times must not differ. */
export interface Subject {
  readonly name: string;
  /** Number of measured pairs: one request of each kind. */
  readonly pairs: number;
  /** Whether the subject has a deliberate timing leak, which the test must detect. */
  readonly leaks: boolean;
  /** Sends one request, of the first or the second kind. */
  send(first: boolean): Promise<void>;
}

const basic = (name: string, password: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`${name}:${password}`)}`,
});

const createSender = async (
  app: App,
  first: Record<string, string>,
  second: Record<string, string>,
): Promise<Subject["send"]> => {
  app.get("/", () => "in");
  await app.start({ env: "production", log: { info() {}, warn() {}, error() {} } });
  return async (isFirst) => {
    const reply = await app.fetch(new Request("http://x.test/", { headers: isFirst ? first : second }));
    if (reply.status !== 401)
      throw new Error(`the status of rejected credentials must be 401, not ${reply.status}`);
  };
};

/** Compares a wrong password with an unknown user. @param cost of the hash: a low cost allows many pairs */
const users = async (name: string, pairs: number, cost: object, leaks = false): Promise<Subject> => {
  const hashes = new Map([["anna", await hashPassword("correct horse", cost)]]);
  const app = new App().use(
    new BasicAuth((user, password) => {
      const hash = hashes.get(user);
      return leaks && hash === undefined ? false : verifyPassword(password, hash, cost);
    }),
  );
  return {
    name,
    pairs,
    leaks,
    send: await createSender(app, basic("anna", "wrong horse!!"), basic("eve!", "wrong horse!!")),
  };
};

/** Compares an almost correct API key with an entirely wrong one. */
const keys = async (pairs: number): Promise<Subject> => {
  const all = Array.from({ length: 100 }, (_, at) => [`${at}`.padStart(32, "k"), `service ${at}`] as const);
  const app = new App().use(new ApiKeyAuth(all));
  const almostCorrect = `${"k".repeat(31)}!`;
  return {
    name: "API key: almost correct, wrong",
    pairs,
    leaks: false,
    send: await createSender(app, { "x-api-key": almostCorrect }, { "x-api-key": "#".repeat(32) }),
  };
};

const cheap = { logN: 4, blockSize: 1, parallelization: 1 };

/** Creates all measured subjects. @param scale factor for the number of pairs */
export const createSubjects = async (scale: number): Promise<readonly Subject[]> => [
  await users("password: wrong, user unknown (logN 4)", Math.round(200_000 * scale), cheap),
  await users("password: wrong, user unknown (default cost)", Math.round(200 * scale), {}),
  await keys(Math.round(200_000 * scale)),
  await users("planted leak: no work for unknown users", Math.round(20_000 * scale), cheap, true),
];
