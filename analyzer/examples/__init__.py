DEFAULT="d20-builds"
def names(): return []
