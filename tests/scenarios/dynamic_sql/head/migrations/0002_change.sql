SET step = 'x';
EXECUTE IMMEDIATE $step;
