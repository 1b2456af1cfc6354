CREATE TABLE `notices` (
	`kind` text NOT NULL,
	`hostname` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`kind`, `hostname`)
) STRICT;
