import type { Logger } from "./logger.ts";

/** The same logger with `redirect`; the latest active redirection counts. */
export const redirectable = (own: Logger): Logger => {
  const targets: Logger[] = [own];
  const current = (): Logger => targets.at(-1) ?? own;
  return {
    info: (message, fields) => current().info(message, fields),
    warn: (message, fields) => current().warn(message, fields),
    error: (message, fields) => current().error(message, fields),
    redirect(to) {
      const target: Logger = {
        info: (message, fields) => to.info(message, fields),
        warn: (message, fields) => to.warn(message, fields),
        error: (message, fields) => to.error(message, fields),
      };
      targets.push(target);
      return () => {
        const place = targets.indexOf(target);
        if (place > 0) targets.splice(place, 1);
      };
    },
  };
};
