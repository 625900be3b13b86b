import type { TestClient, TestInit, TestReply } from "@framework/testing";

/** A simulated browser: it shares a client, and has its own cookies, which a test can read. */
export interface Browser {
  readonly cookies: ReadonlyMap<string, string>;
  request(method: string, path: string, init?: TestInit): Promise<TestReply>;
}

/** Creates a browser without cookies. It ignores the attributes of cookies, except an immediate expiry. */
export const browserOn = (client: TestClient): Browser => {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async request(method, path, init = {}) {
      const headers = new Headers(init.headers);
      if (cookies.size > 0)
        headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
      const reply = await client.request(method, path, { ...init, headers });
      for (const [name, { value, maxAge }] of reply.cookies) {
        if (value === "" || maxAge === 0) cookies.delete(name);
        else cookies.set(name, value);
      }
      return reply;
    },
  };
};
