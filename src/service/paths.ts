/** Where the service keeps what it needs, and its names. */
export const SERVICE = "adoption-store";
export const USER = "adoption-store";
export const EXECUTABLE_PATH = "/usr/local/bin/adoption-store";
export const STATE_DIRECTORY = "/var/lib/adoption-store";
export const ENVIRONMENT_PATH = "/etc/adoption-store/environment";
export const UNIT_PATH = "/etc/systemd/system/adoption-store.service";
