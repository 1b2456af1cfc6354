-- Words of adopters' names and addresses and of animals' names, and their beginnings, without their text: what is found is read
-- from orders. Deleted words stay in its pages until it is merged: `orders forget` does that.
CREATE VIRTUAL TABLE `orders_words` USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20');--> statement-breakpoint
INSERT INTO `orders_words` (`rowid`, `words`) SELECT `orders`.`id`, coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '') || ' ' || coalesce(`pets`.`name`, '') FROM `orders` LEFT JOIN `pets` ON `pets`.`id` = `pet_id`;--> statement-breakpoint
CREATE TRIGGER `orders_added` AFTER INSERT ON `orders` BEGIN
	INSERT INTO `orders_words` (`rowid`, `words`) SELECT new.`id`, coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, '') || ' ' || coalesce((SELECT `name` FROM `pets` WHERE `id` = new.`pet_id`), '');
END;--> statement-breakpoint
CREATE TRIGGER `orders_adopter_changed` AFTER UPDATE OF `adopter_name`, `adopter_email` ON `orders` WHEN old.`adopter_name` IS NOT new.`adopter_name` OR old.`adopter_email` IS NOT new.`adopter_email` BEGIN
	UPDATE `orders_words` SET `words` = coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, '') || ' ' || coalesce((SELECT `name` FROM `pets` WHERE `id` = new.`pet_id`), '') WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `orders_deleted` AFTER DELETE ON `orders` BEGIN
	DELETE FROM `orders_words` WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `orders_pet_renamed` AFTER UPDATE OF `name` ON `pets` WHEN old.`name` <> new.`name` BEGIN
	UPDATE `orders_words` SET `words` = (SELECT coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '') || ' ' || new.`name` FROM `orders` WHERE `orders`.`id` = `orders_words`.`rowid`) WHERE `rowid` IN (SELECT `id` FROM `orders` WHERE `pet_id` = old.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `orders_pet_deleted` AFTER DELETE ON `pets` BEGIN
	UPDATE `orders_words` SET `words` = (SELECT coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '') FROM `orders` WHERE `orders`.`id` = `orders_words`.`rowid`) WHERE `rowid` IN (SELECT `id` FROM `orders` WHERE `pet_id` = old.`id`);
END;
