import { ENVIRONMENT_PATH, EXECUTABLE_PATH, STATE_DIRECTORY, USER } from "./paths.ts";

/** The first line of the unit. A unit without it was not written by this program. */
export const UNIT_MARK = "# Written by adoption-store service install, which replaces this file.";

/** A path in a unit: `%` begins a specifier (systemd.unit(5)). */
const escapePath = (path: string): string => `"${path.replaceAll("%", "%%").replace(/["\\]/g, "\\$&")}"`;

/**
 * The systemd unit of the service.
 * @param writable directories that the service writes besides its state directory, such as that of backups
 */
export const systemdUnit = (writable: readonly string[] = []): string => `${UNIT_MARK}
# To change it: systemctl edit adoption-store

[Unit]
Description=adoption-store: animals offered for adoption
Wants=network-online.target
After=network-online.target

[Service]
# The server says when it serves, and lives while it answers the watchdog.
Type=notify
WatchdogSec=30
TimeoutStartSec=90
TimeoutStopSec=30
ExecStart=${EXECUTABLE_PATH} serve
EnvironmentFile=${ENVIRONMENT_PATH}
User=${USER}
Group=${USER}
StateDirectory=adoption-store
StateDirectoryMode=0700
WorkingDirectory=${STATE_DIRECTORY}
${writable.map((path) => `ReadWritePaths=-${escapePath(path)}\n`).join("")}UMask=0077
LimitNOFILE=65536
Restart=on-failure
RestartSec=2
# A wrong setting: a restart does not help.
RestartPreventExitStatus=2

# Ports 80 and 443 without root.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes

# It sees no other files than it needs. MemoryDenyWriteExecute must be off: the program compiles itself while it runs.
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectClock=yes
ProtectHostname=yes
LockPersonality=yes
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
