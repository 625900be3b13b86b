import type { DoctorRule } from "./facts.ts";

/** Reports the first proxy if none is trusted: every client then has the proxy's address, so limits, logs and `isSecure` are wrong. */
export const untrustedProxies: DoctorRule = ({ program, proxies }) => {
  const report = program?.report ?? null;
  if (report === null || report.settings.trustedProxies.length > 0) return [];
  return proxies.slice(0, 1).map((place) => ({
    code: "CLI_PROXY_UNTRUSTED",
    message: `${place} is a proxy in front of the service, and trustedProxies is empty: every client has the proxy's address; pass the proxy's network: run({ trustedProxies: ["10.0.0.0/8"] })`,
  }));
};
