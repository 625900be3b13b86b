/** Page of the repository; manifests and documents that leave it use this address. */
export const REPOSITORY = "https://github.com/framework/framework";
