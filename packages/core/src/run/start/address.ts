/** The URL for clients on this machine of a listener on `host`; "every address" becomes this machine's own. */
export const urlOf = (host: string, port: number, isSecure: boolean): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http${isSecure ? "s" : ""}://${reachable.includes(":") ? `[${reachable.replace("%", "%25")}]` : reachable}:${port}`;
};
