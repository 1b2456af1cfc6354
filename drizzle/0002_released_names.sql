CREATE TABLE `released_names` (
	`hostname` text PRIMARY KEY NOT NULL
) STRICT;
