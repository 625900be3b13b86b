/** Returns the URL by which clients on this machine reach a listener on `host`; a wildcard address becomes the loopback address. */
export const urlOf = (host: string, port: number, isSecure: boolean): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http${isSecure ? "s" : ""}://${reachable.includes(":") ? `[${reachable.replace("%", "%25")}]` : reachable}:${port}`;
};
