CREATE TABLE `acme_accounts` (
	`authority` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`url` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `acme_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`authority` text NOT NULL,
	`kind` text NOT NULL,
	`hostname` text NOT NULL,
	`apex` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "acme_attempts_kind" CHECK("acme_attempts"."kind" in ('order', 'refused', 'issued'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `acme_attempts_by_time` ON `acme_attempts` (`authority`,`at`);--> statement-breakpoint
CREATE TABLE `certificates` (
	`hostname` text PRIMARY KEY NOT NULL,
	`next_at` integer,
	`failures` integer NOT NULL,
	`problem` text,
	`created_at` integer NOT NULL,
	`key` text,
	`chain` text,
	`authority` text,
	`not_before` integer,
	`not_after` integer,
	`renewals` integer NOT NULL,
	`ari_id` text,
	`order_authority` text,
	`order_url` text,
	`order_key` text,
	`token` text,
	`key_authorization` text,
	CONSTRAINT "certificates_in_use" CHECK(("certificates"."key" is null) = ("certificates"."chain" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `certificates_due` ON `certificates` (`next_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `certificates_token` ON `certificates` (`token`);