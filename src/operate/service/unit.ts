export const SERVICE = "adoption-store";
export const USER = "adoption-store";
export const EXECUTABLE_PATH = "/usr/local/bin/adoption-store";
export const STATE_DIRECTORY = "/var/lib/adoption-store";
export const ENVIRONMENT_PATH = "/etc/adoption-store/environment";
export const UNIT_PATH = "/etc/systemd/system/adoption-store.service";

/** The first line of the unit. A unit without it was not written by this program. */
export const UNIT_MARK = "# Written by adoption-store service install, which replaces this file.";

/** A path in a unit: `%` begins a specifier (systemd.unit(5)). */
const escapePath = (path: string): string => `"${path.replaceAll("%", "%%").replace(/["\\]/g, "\\$&")}"`;

export const memoryMaxOf = (unit: string): string | undefined => /^MemoryMax=(.+)$/m.exec(unit)?.[1];

interface UnitOptions {
  /** Directories that the service writes in addition to its state directory, such as that of backups. */
  writable?: readonly string[];
  memoryMax?: string | undefined;
}

export const systemdUnit = ({ writable = [], memoryMax = "75%" }: UnitOptions = {}): string => `${UNIT_MARK}
# To change it: systemctl edit adoption-store

[Unit]
Description=adoption-store: animals offered for adoption
Wants=network-online.target
After=network-online.target
# RestartSec already delays automatic restarts. A limit would only reject manual restarts by an operator who tries several
# settings.
StartLimitIntervalSec=0

[Service]
# The server notifies systemd when it is ready, and pings the watchdog while it works.
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
# A core dump would contain keys.
LimitCORE=0
# To change it: adoption-store service install --memory-max
MemoryMax=${memoryMax}
Restart=on-failure
RestartSec=2
# A wrong setting: a restart does not help.
RestartPreventExitStatus=2

# Ports 80 and 443 without root.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes

# Only the files that it needs. MemoryDenyWriteExecute must be off, because the program compiles itself while it runs.
# ProcSubset must be off, because the server reads /proc/locks to name the process that locks the database.
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
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
