/**
 * Whether an `Origin` equals the origin of the request's own service. A default port is insignificant: browsers omit it, while proxies may state it in `Host`.
 */
export const isOwnOrigin = (
  origin: string,
  { scheme, host }: { readonly scheme: string; readonly host: string },
): boolean => {
  const own = `${scheme}://${host}`;
  return origin === own || (URL.canParse(own) && origin === new URL(own).origin);
};
